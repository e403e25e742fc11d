// The worker of one model. The page stays usable while the worker translates.

import { Answering } from "./answering.js";

const answering = new Answering((answer) => postMessage(answer));

globalThis.onmessage = ({ data }) => answering.receive(data);
