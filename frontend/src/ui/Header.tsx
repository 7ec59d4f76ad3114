import type { Me } from "../api/types";
import { TourButton } from "../tour/TourOffer";
import { AccountMenu } from "./AccountMenu";

interface Props {
  me: Me | null;
  here: "plans" | "streams" | "studio" | "dashboards" | "tokens" | "audit" | "people" | "nodes";
}

export function Header({ me, here }: Props) {
  return (
    <header className="masthead">
      <a className="brand" href="/">
        Timelines
      </a>
      <nav aria-label="Main">
        <a href="/" aria-current={here === "plans" ? "page" : here === "studio" ? "true" : undefined}>
          Plans
        </a>
        <a href="/dashboards/" aria-current={here === "dashboards" ? "page" : undefined}>
          Dashboards
        </a>
        <a href="/streams/" aria-current={here === "streams" ? "page" : undefined}>
          Streams
        </a>
        <a href="/audit/" aria-current={here === "audit" ? "page" : undefined}>
          Activity
        </a>
        <a href="/api/docs/">API</a>
        {me?.is_staff && <a href="/admin/">Admin</a>}
      </nav>
      <span className="spacer" />
      <TourButton />
      {me && <AccountMenu me={me} />}
    </header>
  );
}
