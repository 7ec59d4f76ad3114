import { lazy, Suspense } from "react";
import type { PlanDocument } from "../../core/api/types";
import { FileDrop } from "./FileDrop";
import { useTransfer } from "./store";

const ImportDialog = lazy(() => import("./ImportDialog"));

/** Importing, by dialog or by a file that is dragged onto the page. */
export function Import({ current }: { current: PlanDocument | null }) {
  const open = useTransfer((state) => state.open);
  return (
    <>
      <FileDrop />
      {open && (
        <Suspense fallback={null}>
          <ImportDialog current={current} />
        </Suspense>
      )}
    </>
  );
}
