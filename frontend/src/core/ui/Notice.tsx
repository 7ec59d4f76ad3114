export interface Notice {
  tone: "good" | "bad";
  text: string;
}

/** What the page has to say; its place is there also when there is nothing. */
export function NoticeLine({ notice, close }: { notice: Notice | null; close: () => void }) {
  return (
    <div className="notice-place" role="status">
      {notice && (
        <p className={`notice ${notice.tone}`} data-testid="notice">
          {notice.text}
          <button type="button" className="quiet" aria-label="Close" onClick={close}>
            ×
          </button>
        </p>
      )}
    </div>
  );
}
