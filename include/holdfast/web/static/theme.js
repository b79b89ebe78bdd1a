// Light or dark as Airflow's own interface is: it keeps the choice under "theme" in the browser, for the same origin.
(() => {
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => {
    try { return window.localStorage.getItem("theme"); } catch { return null; }
  };
  let paper = false;
  const apply = () => {
    const choice = chosen();
    const dark = !paper && (choice === "dark" || (choice !== "light" && system.matches));
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    document.documentElement.dispatchEvent(new CustomEvent("holdfast-theme"));
  };
  apply();
  system.addEventListener("change", apply);
  window.addEventListener("beforeprint", () => { paper = true; apply(); });
  window.addEventListener("afterprint", () => { paper = false; apply(); });
  window.addEventListener("storage", (event) => { if (event.key === "theme" || event.key === null) apply(); });
  document.documentElement.classList.add(window.self === window.top ? "alone" : "inside");
})();
