// The lines of the heads of a layer, in the app.

import { LinesView } from "../pictures/head_lines.js";
import { mount } from "./mount.js";

export default mount(LinesView);
