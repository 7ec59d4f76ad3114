import { useEffect, useState } from "react";
import { setImportFile } from "./store";

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

/** A file that is dragged onto the page is imported; while it is over the page, that is said. */
export function FileDrop() {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const move = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      setOver(false);
      const file = event.dataTransfer?.files[0];
      if (!file) return;
      event.preventDefault();
      event.stopPropagation();
      void setImportFile(file);
    };
    window.addEventListener("dragover", move, true);
    window.addEventListener("dragleave", leave, true);
    window.addEventListener("drop", drop, true);
    return () => {
      window.removeEventListener("dragover", move, true);
      window.removeEventListener("dragleave", leave, true);
      window.removeEventListener("drop", drop, true);
    };
  }, []);
  if (!over) return null;
  return (
    <div className="file-drop" data-testid="file-drop">
      <p>Drop the plan here. A preview shows the changes first.</p>
    </div>
  );
}
