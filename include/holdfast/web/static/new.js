// "Plan a rollout" without waiting for pages. Everything here is also done by forms and links alone.
(() => {
  const later = (work, milliseconds) => {
    let timer = 0;
    return (...given) => { window.clearTimeout(timer); timer = window.setTimeout(() => work(...given), milliseconds); };
  };
  const parsed = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");

  // What was typed before this script was there, or kept by the browser, counts too.
  const typed = (form) => [...form.elements].some((field) => "defaultValue" in field && field.value !== field.defaultValue);

  // Groups are found while one types.
  for (const form of document.querySelectorAll("form[data-live]")) {
    const place = document.querySelector(form.dataset.live);
    let latest = 0;
    const find = later(async () => {
      const mine = ++latest;
      const asked = `${form.action}?${new URLSearchParams(new FormData(form))}`;
      const answer = await fetch(asked, { headers: { Accept: "text/html" } });
      const found = answer.ok ? (await parsed(answer)).querySelector(form.dataset.live) : null;
      if (found && mine === latest) { place.replaceChildren(...found.childNodes); window.history.replaceState(null, "", asked); }
    }, 250);
    form.addEventListener("input", find);
    if (typed(form)) find();
  }

  // Hosts are found among many.
  for (const finder of document.querySelectorAll("[data-finds]")) {
    finder.closest(".finder").hidden = false;
    const field = finder.closest("fieldset");
    const rows = [...field.querySelectorAll(".hosts-to-choose > li")];
    const texts = rows.map((row) => row.textContent.toLowerCase());
    const count = field.querySelector("[data-counts]");
    const tell = () => {
      const shown = rows.filter((row) => !row.hidden).length;
      const chosen = rows.filter((row) => row.querySelector("input").checked).length;
      count.textContent = `${shown < rows.length ? `${shown} found, ` : ""}${chosen} selected`;
    };
    const narrow = () => {
      const words = finder.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach((row, at) => { row.hidden = !words.every((word) => texts[at].includes(word)); });
      tell();
    };
    finder.addEventListener("input", (event) => { narrow(); event.stopPropagation(); });
    finder.addEventListener("keydown", (event) => { if (event.key === "Enter") event.preventDefault(); });
    field.addEventListener("change", tell);
    narrow();
  }

  for (const form of document.querySelectorAll("form[data-asks]")) {
    // What will be asked is said while one fills in; what is wrong is said when one asks.
    const preview = form.querySelector("#preview");
    let latest = 0;
    const check = later(async () => {
      const mine = ++latest;
      const sent = new URLSearchParams([...new FormData(form), ["only", "preview"]]);
      const answer = await fetch(form.action, { method: "POST", body: sent, headers: { Accept: "text/html" } });
      if (mine !== latest || !answer.ok || answer.redirected) return;
      preview.replaceChildren(...(await parsed(answer)).body.childNodes);
      preview.classList.remove("stale");
    }, 350);
    form.addEventListener("input", () => { latest += 1; preview.classList.add("stale"); check(); });
    if (typed(form)) check();

    // More clients or fewer: only what that asks for.
    const clients = form.querySelector("#clients[data-now]");
    if (clients) {
      const chosen = form.querySelector(".hosts-to-choose");
      const named = form.querySelector("#more_hosts");
      const fit = () => {
        const wanted = Number(clients.value);
        const known = clients.value.trim() !== "" && Number.isFinite(wanted);
        const now = Number(clients.dataset.now);
        for (const one of [chosen, form.querySelector(".finder"), form.querySelector("#hosts-help")]) if (one) one.classList.toggle("aside", known && wanted >= now);
        for (const one of [named, form.querySelector("label[for=more_hosts]"), form.querySelector("#more-help")]) if (one) one.classList.toggle("aside", known && wanted <= now);
      };
      clients.addEventListener("input", fit);
      fit();
    }

    // Sent once. The server would make one run of it anyway.
    form.addEventListener("submit", (event) => {
      if (event.submitter && event.submitter.value === "send") {
        window.setTimeout(() => { for (const button of form.querySelectorAll("button")) button.disabled = true; }, 0);
      }
    });
    window.addEventListener("pageshow", () => { for (const button of form.querySelectorAll("button")) button.disabled = false; });
  }
  const problems = document.getElementById("problems");
  if (problems) problems.focus();

  // A plan in the making: look again, until it is there. Often at first: a small one takes seconds.
  const began = Date.now();
  const pause = () => (document.hidden ? 10000 : Date.now() - began < 60000 ? 500 : 1500);
  const look = async () => {
    const here = document.querySelector("[data-again]");
    if (!here) return;
    try {
      const answer = await fetch(window.location.href, { headers: { Accept: "text/html" } });
      if (answer.redirected) { window.location.replace(answer.url); return; }
      const found = answer.ok ? (await parsed(answer)).querySelector(".making") : null;
      if (found && found.innerHTML !== here.innerHTML) {
        const title = found.querySelector("h1").textContent;
        if (title !== here.querySelector("h1").textContent) document.getElementById("told").textContent = title;
        here.replaceWith(found);
      }
    } catch { /* the server is away for a moment */ }
    window.setTimeout(look, pause());
  };
  if (document.querySelector("[data-again]")) window.setTimeout(look, pause());
})();
