import { useEffect } from "react";
import { setDraft, useDraft } from "./store";

const SHOWN_MS = 12_000;

/** The last change by somebody else, shown for some seconds. */
export function LastChangeNotice() {
  const news = useDraft((state) => state.news);
  useEffect(() => {
    if (news === null) return;
    const timer = window.setTimeout(() => setDraft({ news: null }), SHOWN_MS);
    return () => window.clearTimeout(timer);
  }, [news]);
  return (
    <div className="news-place" role="status">
      {news && (
        <p className="news" data-testid="news">
          <b>{news.who}:</b> {news.words}
        </p>
      )}
    </div>
  );
}
