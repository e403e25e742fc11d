// Counts the requests of the page to its server, and the answers, from the messages themselves.
// They are Streamlit's protocol buffers; only three fields matter. Runs in every page before the
// app's own code.

window.runs = (() => {
  // rerun_script in a request; new_session and script_finished in an answer
  const [ASKED, BEGUN, ENDED] = [11, 4, 6];
  const EARLY = 2; // the script ended early because a newer request came, which is answered next
  const runs = { asked: 0, answered: 0, ended: false };

  // Finds the first field with this number at the top level of a message. Returns its value if that
  // is a number, or else the length of its content in bytes; undefined without such a field.
  function field(bytes, wanted) {
    let at = 0;
    const number = () => {
      for (let value = 0, shift = 0; ; shift += 7) {
        const byte = bytes[at++];
        value += (byte & 127) * 2 ** shift;
        if (byte < 128) return value;
      }
    };
    while (at < bytes.length) {
      const tag = number();
      // wire type 0 is a number, wire type 2 a length; there are no other types
      const value = number();
      if (tag >> 3 === wanted) return value;
      if ((tag & 7) === 2) at += value;
    }
    return undefined;
  }

  function heard(data) {
    const bytes = new Uint8Array(data);
    if (field(bytes, BEGUN) !== undefined) Object.assign(runs, { answered: runs.asked, ended: false });
    // only short messages are searched, because a message about the end is short
    const how = bytes.length < 200 ? field(bytes, ENDED) : undefined;
    if (how !== undefined && how !== EARLY) runs.ended = true;
  }

  window.WebSocket = class extends WebSocket {
    constructor(...how) {
      super(...how);
      this.addEventListener("message", ({ data }) => heard(data));
    }

    send(data) {
      if (field(new Uint8Array(data), ASKED) !== undefined) runs.asked += 1;
      super.send(data);
    }
  };

  // Whether every request is answered and the last answer is drawn.
  runs.done = () => {
    const app = document.querySelector("[data-testid=stApp]");
    const { asked, answered, ended } = runs;
    return asked > 0 && answered === asked && ended && app?.dataset.testScriptState === "notRunning";
  };
  return runs;
})();
