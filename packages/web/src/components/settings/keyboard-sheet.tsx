import { keys } from "../../settings/keys.ts";
import { Sheet } from "../../ui/dialog.tsx";

export default function KeyboardSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Sheet title="Keyboard" isWide isReading onClose={onClose}>
      <div className="grid gap-x-10 gap-y-6 wide:grid-cols-2">
        {Object.entries(keys).map(([where, list]) => (
          <section key={where}>
            <h3 className="mb-1 text-sm font-semibold">{where}</h3>
            <dl>
              {Object.entries(list).map(([key, does]) => (
                <div
                  key={key}
                  className="flex items-baseline justify-between gap-4 border-t border-hair py-1.5 text-sm"
                >
                  <dt className="text-quiet">{does}</dt>
                  <dd className="flex shrink-0 gap-1">
                    {key.split(" ").map((one) => (
                      <kbd
                        key={one}
                        className="rounded-[4px] border border-edge px-1.5 font-sans text-xs"
                      >
                        {one}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Sheet>
  );
}
