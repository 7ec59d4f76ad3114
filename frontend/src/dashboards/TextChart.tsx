/** Words of who made the dashboard, in Markdown. */
import { lazy, Suspense } from "react";

// Read only where a dashboard has words.
const Markdown = lazy(() => import("./Markdown"));

export function TextChart({ text }: { text: string }) {
  return (
    <div className="text-chart">
      <Suspense fallback={null}>
        <Markdown text={text} />
      </Suspense>
    </div>
  );
}
