// Sets the theme before the first paint, so that it never flashes; a module would run too late.
try {
  const theme = localStorage.getItem("holdfast.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // Storage is forbidden: the system's theme applies.
}
