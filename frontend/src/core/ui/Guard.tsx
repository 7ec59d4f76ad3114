import { Component, type ErrorInfo, type ReactNode } from "react";
import { describeError } from "../api/client";

const NOT_LOADED = /dynamically imported module|module script|preload CSS/i;

/** What became of a part of the page, for who sees it. */
function wordsFor(error: unknown): string {
  const words = describeError(error);
  return NOT_LOADED.test(words)
    ? "Could not load it: the server is unreachable, or was updated since you opened this page."
    : `It failed: ${words}`;
}

interface Props {
  /** What it is that is guarded, as a person would call it. */
  what: string;
  /** The whole page, which has a way back. */
  page?: boolean;
  children: ReactNode;
}

interface State {
  error: unknown;
  failed: boolean;
  where: string;
}

const WELL: State = { error: null, failed: false, where: "" };

/** A part of the page that fails takes no other part with it, says so, and can be tried again. */
export class Guard extends Component<Props, State> {
  override state: State = WELL;

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error, failed: true };
  }

  override componentDidCatch(_error: unknown, { componentStack }: ErrorInfo): void {
    this.setState({ where: componentStack ?? "" });
  }

  override render(): ReactNode {
    const { error, failed, where } = this.state;
    const { what, page = false, children } = this.props;
    if (!failed) return children;
    const trace = error instanceof Error ? (error.stack ?? "") : "";
    const told = (
      <section className="card empty failed" role="alert" data-testid="failed">
        <h2>{what} cannot be shown</h2>
        <p>{wordsFor(error)}</p>
        <p>Your draft is kept in this browser and saved when you reload the page.</p>
        <div className="row">
          <button type="button" className="primary" onClick={() => window.location.reload()}>
            Reload page
          </button>
          {page ? (
            <a className="button" href="/">
              All plans
            </a>
          ) : (
            <button type="button" onClick={() => this.setState(WELL)}>
              Try again
            </button>
          )}
        </div>
        <details>
          <summary>Technical details</summary>
          <pre className="code">{[trace, where.trim()].filter(Boolean).join("\n\n")}</pre>
        </details>
      </section>
    );
    return page ? <main className="page">{told}</main> : told;
  }
}
