// The ribbons of a translation, in the app.

import { RibbonsView } from "../pictures/ribbons.js";
import { mount } from "./mount.js";

export default mount(RibbonsView);
