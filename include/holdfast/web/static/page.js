// Small things that make a page easier to use. Every page works without them.
(() => {
  const alone = document.documentElement.classList.contains("alone");
  for (const link of document.querySelectorAll(".standalone")) link.hidden = !alone;
  for (const text of document.querySelectorAll(".framed")) text.hidden = alone;

  // Tabs, as the ARIA practices have them.
  for (const tabs of document.querySelectorAll("[data-tabs]")) {
    const buttons = [...tabs.querySelectorAll("[role=tab]")];
    const show = (chosen) => {
      for (const one of buttons) {
        const is = one === chosen;
        one.setAttribute("aria-selected", String(is));
        one.tabIndex = is ? 0 : -1;
        document.getElementById(one.getAttribute("aria-controls")).classList.toggle("later", !is);
      }
      window.dispatchEvent(new Event("resize"));
    };
    buttons.forEach((one, at) => {
      one.addEventListener("click", () => show(one));
      one.addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = buttons[(at + step + buttons.length) % buttons.length];
        show(next);
        next.focus();
        event.preventDefault();
      });
    });
  }

  // A task pointed at lights up wherever else it is.
  for (const table of document.querySelectorAll(".ownership")) {
    let lit = [];
    const light = (task) => {
      for (const one of lit) one.classList.remove("lit");
      lit = task ? [...table.querySelectorAll(`[data-task="${CSS.escape(task)}"]`)] : [];
      for (const one of lit) one.classList.add("lit");
    };
    table.addEventListener("pointerover", (event) => light(event.target.dataset ? event.target.dataset.task : null));
    table.addEventListener("pointerleave", () => light(null));
  }

  // Paper cannot be folded out.
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main details:not([open])")];
    for (const one of folded) one.open = true;
  });
  window.addEventListener("afterprint", () => { for (const one of folded) one.open = false; });

  // A decision is sent once.
  for (const form of document.querySelectorAll(".decision form")) {
    form.addEventListener("submit", (event) => {
      const reason = form.querySelector("textarea");
      if (event.submitter && event.submitter.value === "reject" && !reason.value.trim()) {
        event.preventDefault();
        reason.setAttribute("aria-invalid", "true");
        reason.focus();
        return;
      }
      window.setTimeout(() => { for (const button of form.querySelectorAll("button")) button.disabled = true; }, 0);
    });
  }
})();
