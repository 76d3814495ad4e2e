import { navigate, useHistoryState } from "wouter/use-browser-location";
import { deeper, dialogOf, type Layer, layersOf, withLayer } from "./layers.ts";

/** True when the side pane covers the transcript: below the `three` breakpoint of tokens.css. */
const isCovering = () => !matchMedia("(width >= 1180px) and (height >= 500px)").matches;

const here = () => location.pathname + location.search;

export function useLayers() {
  const layers = layersOf(useHistoryState());
  const dialog = dialogOf(layers);
  const put = (layer: Layer) => {
    if (dialog === null) navigate(here(), { state: withLayer(layers, layer) });
  };
  return {
    dialog,
    isSide: layers.open.includes("side"),
    put,
    back: () => history.back(),
    /** Closes the side pane and all steps inside it. */
    leaveSide: () => history.go(-layers.above),
    isCovering,
  };
}

/** Goes to another address; inside a side pane that covers the page, as a step that Back undoes. */
export function step(to: string): void {
  const layers = layersOf(history.state);
  const isStep = isCovering() && layers.open.includes("side");
  if (isStep) navigate(to, { state: deeper(layers) });
  else navigate(to, { replace: true, state: history.state });
}
