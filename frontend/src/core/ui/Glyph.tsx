export const UNDO = "M3 6h7a3 3 0 0 1 0 7H6M6 3 3 6l3 3";
export const REDO = "M13 6H6a3 3 0 0 0 0 7h4M10 3l3 3-3 3";

/** A small drawing in the colour of the words beside it. */
export function Picture({ path }: { path: string }) {
  return (
    <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={path} />
    </svg>
  );
}

interface GlyphProps {
  /** How tests find it. */
  id: string;
  title: string;
  keys: string;
  picture: string;
  disabled: boolean;
  act: () => void;
}

/** A button that is a picture; its name and keys are told beside the mouse. */
export function Glyph({ id, title, keys, picture, disabled, act }: GlyphProps) {
  return (
    <button
      type="button"
      className="glyph"
      data-testid={id}
      aria-label={title}
      title={`${title} (${keys})`}
      disabled={disabled}
      onClick={act}
    >
      <Picture path={picture} />
    </button>
  );
}
