import { figure } from "@holdfast/protocol";
import { Plus, Search, Settings2 } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../../ui/button.tsx";
import { Logo } from "../../ui/logo.tsx";
import { classes } from "../../ui/tone.ts";
import { grouped } from "../../words/grouping.ts";
import { type ListItem, SessionRow } from "./session-row.tsx";

interface SessionListProps {
  readonly sessions: readonly ListItem[];
  readonly now: number;
  readonly selected: string | null;
  readonly search: string;
  readonly hasMore: boolean;
  readonly aside?: ReactNode;
  readonly notice?: ReactNode;
  /** Shown in place of an empty list. */
  readonly empty?: ReactNode;
  readonly onSearch: (words: string) => void;
  readonly onOpen: (id: string) => void;
  readonly onNew: () => void;
  readonly onSettings: () => void;
  readonly onMore: () => void;
}

export function SessionList(props: SessionListProps) {
  const { sessions, now, selected, search, notice } = props;
  return (
    <div className="flex h-full min-h-0 flex-col">
      <ListHeader {...props} />
      {notice}
      <nav
        aria-label="Sessions"
        className="min-h-0 flex-1 overflow-y-auto pb-[env(safe-area-inset-bottom)]"
      >
        {grouped(sessions).map(({ group, sessions: rows }) => (
          <section key={group} aria-label={group}>
            <h2
              className={classes(
                "sticky top-0 flex justify-between bg-paper px-4 pt-4 pb-1 text-xs font-semibold",
                group === "Needs you" ? "text-needs" : "text-quiet",
              )}
            >
              {group}
              <span className="font-normal">{figure(rows.length)}</span>
            </h2>
            {rows.map((session) => (
              <SessionRow
                key={session.id}
                session={session}
                now={now}
                isSelected={session.id === selected}
                onOpen={props.onOpen}
              />
            ))}
          </section>
        ))}
        {sessions.length === 0 && search !== "" && (
          <p className="px-4 py-6 text-quiet">No session matches “{search}”.</p>
        )}
        {sessions.length === 0 && search === "" && props.empty}
        {props.hasMore && (
          <button
            type="button"
            className="w-full px-4 py-3 text-left text-sm text-quiet hover:bg-sunken"
            onClick={props.onMore}
          >
            Show older sessions
          </button>
        )}
      </nav>
    </div>
  );
}

function ListHeader({ search, aside, onSearch, onNew, onSettings }: SessionListProps) {
  return (
    <header className="border-b border-hair pt-[env(safe-area-inset-top)]">
      <div className="group flex h-14 items-center gap-1 pr-2 pl-4 wide:h-12">
        <Logo className="size-5 shrink-0" />
        {/* With the connection shown there is no room for the name, so only the logo stays visible. */}
        <h1 className="ml-1 shrink-0 text-lg font-semibold wide:text-base wide:group-has-[[data-aside]>*]:sr-only">
          Holdfast
        </h1>
        <span data-aside className="ml-auto flex min-w-0 items-center pl-3">
          {aside}
        </span>
        <IconButton label="Settings, agents and devices" onClick={onSettings}>
          <Settings2 />
        </IconButton>
        <IconButton label="New session" className="text-ink" onClick={onNew}>
          <Plus />
        </IconButton>
      </div>
      <label className="flex h-11 items-center gap-3 border-t border-hair px-4 text-quiet wide:h-9">
        <Search className="size-4 shrink-0" aria-hidden="true" />
        <span className="sr-only">Search sessions</span>
        <input
          type="search"
          value={search}
          placeholder="Search"
          className="min-w-0 flex-1 bg-transparent text-base text-ink outline-none wide:text-sm"
          onChange={(event) => onSearch(event.target.value)}
        />
      </label>
    </header>
  );
}
