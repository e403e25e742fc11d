import { Ribbons } from "../pictures/ribbons.js";
import { mount } from "./mount.js";

export default mount(Ribbons);
