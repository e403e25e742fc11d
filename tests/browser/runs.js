// Runs in every page before the app's own code: counts what the page asks its server, and what is
// answered, from the messages themselves; Streamlit's protocol buffers, of which two fields matter.

window.runs = (() => {
  const [ASKED, BEGUN, ENDED] = [11, 4, 6]; // rerun_script; new_session, script_finished
  const EARLY = 2; // ended for the sake of a newer one, which follows
  const runs = { asked: 0, answered: 0, ended: false };

  // The first field of this kind at the top of a message: its number (0 is left out), or its place.
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
      const value = number(); // of the kinds 0, a number, and 2, a length: there are no others
      if (tag >> 3 === wanted) return value;
      if ((tag & 7) === 2) at += value;
    }
    return undefined;
  }

  function heard(data) {
    const bytes = new Uint8Array(data);
    if (field(bytes, BEGUN) !== undefined) Object.assign(runs, { answered: runs.asked, ended: false });
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

  // Whether all that was asked is answered, and the answer drawn.
  runs.done = () => {
    const app = document.querySelector("[data-testid=stApp]");
    const { asked, answered, ended } = runs;
    return asked > 0 && answered === asked && ended && app?.dataset.testScriptState === "notRunning";
  };
  return runs;
})();
