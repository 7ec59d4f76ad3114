import { createRoot } from "react-dom/client";
import { App } from "./App";
import "../core/ui/fonts.css";
import "../core/ui/colours.css";
import "../core/ui/base.css";
import "../core/ui/controls.css";
import "../core/ui/pages.css";

const root = document.getElementById("root");
if (root) createRoot(root).render(<App path={window.location.pathname} />);
