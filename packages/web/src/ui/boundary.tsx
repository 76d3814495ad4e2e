/** Replaces a component that fails to render by a message; the rest of the page stays. */

import { visibleLine } from "@holdfast/protocol";
import { Component, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { Nothing } from "./notices.tsx";

interface BoundaryProps {
  readonly children: ReactNode;
}

interface BoundaryState {
  readonly problem: string | null;
}

export class Boundary extends Component<BoundaryProps, BoundaryState> {
  override state: BoundaryState = { problem: null };

  static getDerivedStateFromError(error: unknown): BoundaryState {
    return { problem: error instanceof Error ? error.message : String(error) };
  }

  override render(): ReactNode {
    const { problem } = this.state;
    if (problem === null) return this.props.children;
    return (
      <Nothing title="Something went wrong on this page">
        <span className="block">The session keeps running on the host; nothing is lost.</span>
        <code className="inert mt-2 block font-mono text-xs">
          {visibleLine(problem.slice(0, 300))}
        </code>
        <span className="mt-4 flex justify-center gap-2">
          <Button look="main" onClick={() => this.setState({ problem: null })}>
            Try again
          </Button>
          <Button onClick={() => location.reload()}>Reload the page</Button>
        </span>
      </Nothing>
    );
  }
}
