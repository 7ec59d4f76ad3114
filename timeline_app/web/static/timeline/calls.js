// Light or dark as the person chose, or as the system is, also when that changes.
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const page = document.documentElement;
const isDark = () => (page.dataset.theme === "system" || !page.dataset.theme ? dark.matches : page.dataset.theme === "dark");
const follow = () => page.classList.toggle("dark-mode", isDark());
dark.addEventListener("change", follow);
follow();
