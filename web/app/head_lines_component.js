import { HeadLines } from "../pictures/head_lines.js";
import { mount } from "./mount.js";

export default mount(HeadLines);
