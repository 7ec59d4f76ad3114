interface Props {
  /** What is loading, in the words of the page. */
  what: string;
  /** Whether it is all that is on the page. */
  page?: boolean;
}

/** The placeholder while something loads: a skeleton, and a text once that takes long. */
export function Loading({ what, page = false }: Props) {
  const skeleton = (
    <div className="loading" role="status" data-testid="loading">
      <p className="opening faint">Loading {what}…</p>
      <div className="card skeleton" aria-hidden="true" />
      <div className="card skeleton" aria-hidden="true" />
    </div>
  );
  return page ? <main className="page">{skeleton}</main> : skeleton;
}

/** The placeholder in a card that has its title: a text only. */
export function LoadingText({ what }: Pick<Props, "what">) {
  return (
    <p className="opening faint" role="status">
      Loading {what}…
    </p>
  );
}
