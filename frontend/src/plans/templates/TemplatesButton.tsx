import { lazy, Suspense, useState } from "react";

const TemplatesDialog = lazy(() => import("./TemplatesDialog"));

/** Opens the templates. */
export function TemplatesButton() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" data-testid="choose-template" onClick={() => setOpen(true)}>
        Start from a template…
      </button>
      {open && (
        <Suspense fallback={null}>
          <TemplatesDialog close={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
