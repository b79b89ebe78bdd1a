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

  // Tables are sorted by what a column shows, as the ARIA practices have it. What shows nothing stands last, either way.
  const shownIn = (row, column) => {
    let at = 0;
    for (const cell of row.cells) {
      if (column < at + cell.colSpan) return cell.colSpan > 1 ? null : cell;
      at += cell.colSpan;
    }
    return null;
  };
  for (const table of document.querySelectorAll("table[data-sorts]")) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sorts";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const one of heads) one.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const value = (row) => {
          const cell = shownIn(row, column);
          if (!cell) return null;
          return "value" in cell.dataset ? Number(cell.dataset.value) : cell.textContent.trim() || null;
        };
        const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
        const rows = [...table.tBodies[0].rows].map((row) => [value(row), row]);
        const shown = rows.filter(([one]) => one !== null).sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
        table.tBodies[0].append(...[...shown, ...rows.filter(([one]) => one === null)].map(([, row]) => row));
      });
    });
  }

  // What only part of a page changes for is fetched, and put in its place.
  document.addEventListener("click", async (event) => {
    const link = event.target.closest ? event.target.closest("a[data-swap]") : null;
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    try {
      const answer = await fetch(link.href, { headers: { Accept: "text/html" } });
      const found = answer.ok && !answer.redirected ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
      const parts = found ? [link.dataset.swap, "#pager"].map((part) => [document.querySelector(part), found.querySelector(part)]) : [];
      if (!parts.length || parts.some(([here, there]) => !here || !there)) throw new Error("not the page that was asked for");
      for (const [here, there] of parts) here.replaceWith(there);
      window.history.replaceState(null, "", link.href);
      document.getElementById(link.id).focus();
    } catch { window.location.assign(link.href); }
  });

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

  // Commands and IDs are copied, where the browser lets a page do that.
  if (navigator.clipboard) {
    for (const button of document.querySelectorAll("[data-copy]")) button.hidden = false;
    document.addEventListener("click", async (event) => {
      const button = event.target.closest ? event.target.closest("[data-copy]") : null;
      if (!button) return;
      try { await navigator.clipboard.writeText(button.dataset.copy); button.textContent = "Copied"; } catch { button.textContent = "Not copied"; }
      window.setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }

  // Paper cannot be folded out.
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("main details:not([open])")];
    for (const one of folded) one.open = true;
  });
  window.addEventListener("afterprint", () => { for (const one of folded) one.open = false; });

  // The run of a plan moves: its bars grow from where they were. What is typed, focused or folded out stays.
  const run = (found) => {
    const here = document.getElementById("run");
    const there = found.getElementById("run");
    if (!here || !there) return;
    const parts = ["live", "live-more"].map((id) => [here.querySelector(`#${id}`), there.querySelector(`#${id}`)]);
    if (parts.some(([old, fresh]) => !old || !fresh)) {
      if (parts.some(([old, fresh]) => old || fresh)) here.replaceWith(there);
      return;
    }
    const said = parts[0][0].dataset.said;
    for (const [old, fresh] of parts) {
      if (old.outerHTML === fresh.outerHTML) continue;
      const widths = new Map([...old.querySelectorAll("[data-bar]")].map((one) => [one.dataset.bar, one.getAttribute("width")]));
      const grown = [...fresh.querySelectorAll("[data-bar]")].map((one) => [one, one.getAttribute("width")]);
      for (const [one] of grown) if (widths.has(one.dataset.bar)) one.setAttribute("width", widths.get(one.dataset.bar));
      const named = (one) => one.id || one.getAttribute("href");
      const focused = old.contains(document.activeElement) ? named(document.activeElement) : null;
      old.replaceWith(fresh);
      window.setTimeout(() => { for (const [one, width] of grown) one.setAttribute("width", width); }, 30);
      const again = focused && [...fresh.querySelectorAll("a, [tabindex]")].find((one) => named(one) === focused);
      if (again) again.focus({ preventScroll: true });
    }
    if (said !== parts[0][1].dataset.said) document.getElementById("told").textContent = parts[0][1].dataset.said;
    const pausing = here.querySelector("#pausing");
    if (pausing.dataset.now !== there.querySelector("#pausing").dataset.now) pausing.replaceWith(there.querySelector("#pausing"));
  };

  // The question, the decision and the record show when they come. What is being typed stays.
  const follow = document.querySelector("[data-follow]");
  if (follow) {
    const look = async () => {
      try {
        const answer = await fetch(follow.dataset.follow, { headers: { Accept: "text/html" } });
        if (answer.ok && !answer.redirected) {
          const found = new DOMParser().parseFromString(await answer.text(), "text/html");
          const state = (of) => of.querySelector("#stages").dataset.now + (of.querySelector("#decide") ? " asks" : "") + of.querySelector("#decision h2").textContent;
          if (state(found) !== state(document)) {
            const typed = document.querySelector("#reason");
            const decided = document.querySelector("#decision h2").textContent;
            for (const id of ["badges", "stages", "decision", "decision-bar"]) document.getElementById(id).replaceWith(found.getElementById(id));
            const reason = document.querySelector("#reason");
            if (typed && reason) reason.value = typed.value;
            const now = document.querySelector("#decision h2").textContent;
            if (now !== decided) document.getElementById("told").textContent = now;
            once();
          }
          run(found);
        }
      } catch { /* the server is away for a moment */ }
      window.setTimeout(look, document.hidden ? 30000 : 4000);
    };
    window.setTimeout(look, 4000);
  }

  // A decision is sent once.
  const once = () => {
    for (const form of document.querySelectorAll(".decision form")) {
      form.addEventListener("submit", (event) => {
        const reason = form.querySelector("textarea");
        if (event.submitter && event.submitter.value === "reject" && !reason.value.trim()) {
          event.preventDefault();
          reason.setAttribute("aria-invalid", "true");
          reason.focus();
          return;
        }
        const buttons = document.querySelectorAll(".decision button, .decision-bar button");
        window.setTimeout(() => { for (const button of buttons) button.disabled = true; }, 0);
      });
    }
  };
  once();
})();
