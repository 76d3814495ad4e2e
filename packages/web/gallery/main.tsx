import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import "./pictures.css";
import { states } from "./states.tsx";

/** `#streaming` shows that state; `#` lists all. */
function Gallery() {
  const name = location.hash.slice(1);
  const draw = Object.hasOwn(states, name) ? states[name] : undefined;
  if (draw !== undefined) return draw();
  return (
    <ul className="h-full overflow-auto p-6">
      {Object.keys(states).map((one) => (
        <li key={one}>
          <a href={`#${one}`} className="underline">
            {one}
          </a>
        </li>
      ))}
    </ul>
  );
}

addEventListener("hashchange", () => location.reload());
const root = document.getElementById("root");
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <Gallery />
    </StrictMode>,
  );
}
