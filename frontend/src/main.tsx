import { createRoot } from "react-dom/client";
import { App } from "./App";
import "./core/ui/fonts.css";
import "./styles/colours.css";
import "./styles/base.css";
import "./styles/controls.css";
import "./styles/pages.css";

const root = document.getElementById("root");
if (root) createRoot(root).render(<App path={window.location.pathname} />);
