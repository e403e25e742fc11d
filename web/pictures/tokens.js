// The tokens of two sides and a canvas of ribbons between them. Who extends it paints the ribbons and has
// `weightBetween` a token of the first side and one of the second.

import { clamp } from "./arithmetic.js";
import { ARROWS } from "./arrow_keys.js";
import { element, token } from "./elements.js";
import { View } from "./picture.js";

export class TokensView extends View {
  // upright: each side is a column. looking: the side that looks at the other one, 0 or 1.
  constructor(parent, sides, { upright, looking }) {
    super(parent);
    Object.assign(this, { upright, looking });
    this.stage = element("div", { className: "stage" });
    this.lists = sides.map((side) => element("ol", { className: `tokens ${side}` }));
  }

  // The tokens of both sides, and what the sides are called.
  build(tokens, names) {
    Object.assign(this, { tokens, pointed: null, focused: null }); // side and place of a token
    this.lists.forEach((list, side) => {
      Object.assign(list, { ariaLabel: names[side], dir: this.payload.directions[side] });
      list.replaceChildren(...tokens[side].map((text, place) => this.item(text, { side, place })));
    });
  }

  item(text, at) {
    const { languages, told } = this.payload;
    const events = {
      onpointerenter: () => this.hold({ pointed: at }),
      onfocus: () => this.hold({ focused: at }),
      onblur: () => this.hold({ focused: null }),
      onkeydown: (event) => this.key(event, at),
    };
    return element(
      "li",
      { tabIndex: at.place ? -1 : 0, ...events },
      token(text, languages[at.side], told),
    );
  }

  // Arrows go along a side, and across to the other one.
  key(event, { side, place }) {
    if (event.key === "Escape") event.target.blur();
    const step = ARROWS[event.key];
    if (!step) return;
    event.preventDefault();
    const [along, across] = this.upright
      ? step
      : [this.lists[side].dir === "rtl" ? -step[1] : step[1], step[0]];
    const onto = across ? Number(across > 0) : side;
    this.lists[onto].children[clamp(place + along, this.reach(onto))]?.focus();
  }

  // How many tokens of a side there are by now.
  reach(side) {
    return this.lists[side].children.length;
  }

  get held() {
    return this.pointed ?? this.focused;
  }

  hold(what) {
    Object.assign(this, what);
    this.live.replaceChildren(...(this.held ? this.describe(this.held) : []));
    this.draw();
  }

  weight({ side, place }, other) {
    return side ? this.weightBetween(other, place) : this.weightBetween(place, other);
  }

  // A token and the one on the other side that it gives or gets most.
  describe(held) {
    const { side, place } = held;
    const weights = Array.from({ length: this.reach(1 - side) }, (_, other) =>
      this.weight(held, other),
    );
    const best = weights.indexOf(Math.max(...weights));
    const places = side ? [best, place] : [place, best];
    const ends = places.map((at, n) => token(this.tokens[n][at] ?? "", this.payload.languages[n]));
    if (!weights[best]) return [ends[side]];
    return [ends[this.looking], " → ", ends[1 - this.looking], ` ${this.number(weights[best])}`];
  }

  number(weight) {
    return ((this.payload.limit ?? 1) * weight).toFixed(2);
  }

  // Each token shows how much it gives to a held one or gets from it.
  shade(held) {
    this.lists.forEach((list, side) =>
      [...list.children].forEach((item, place) => {
        const own = held?.side === side;
        const share = own ? Number(held.place === place) : held ? this.weight(held, place) : 0;
        item.style.setProperty("--share", share);
      }),
    );
  }
}
