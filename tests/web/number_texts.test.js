// Numbers as they are written in cells, and exactly.

import assert from "node:assert/strict";
import test from "node:test";

import { brief, briefTexts, exact, fixed } from "../../web/pictures/number_texts.js";

test("a number in a cell is short, and zero has no minus sign", () => {
  const numbers = [-0.004, 0, -0.25, 3, -12.34, 1234.5, NaN, Infinity, -Infinity];
  const texts = ["0.00", "0", "−0.25", "3", "−12.3", "1235", "", "∞", "−∞"];
  assert.deepEqual(numbers.map(brief), texts);
});

test("an exact number has six digits", () => {
  assert.deepEqual([1 / 3, -0.5, 7, NaN].map(exact), ["0.333333", "−0.5", "7", ""]);
});

test("numbers from 10 have one decimal, numbers from 100 have none", () => {
  assert.deepEqual([9.5, 10.25, 99.25, 100.25, 100.75].map(brief), [
    "9.50",
    "10.3",
    "99.3",
    "100",
    "101",
  ]);
  assert.deepEqual([-9.5, -10.25, -100.25].map(brief), ["−9.50", "−10.3", "−100"]);
});

test("an infinite number has its sign", () => {
  assert.deepEqual([Infinity, -Infinity].map(exact), ["∞", "−∞"]);
});

test("the numbers of a matrix are either all whole or all have decimals", () => {
  assert.deepEqual(briefTexts([0, 1, 12]), ["0", "1", "12"]);
  assert.deepEqual(briefTexts([0, 0.004, 1, -0.5]), ["0.00", "0.00", "1.00", "−0.50"]);
  assert.deepEqual(briefTexts([-Infinity, NaN, 2]), ["−∞", "", "2"]);
  assert.deepEqual(briefTexts([-Infinity, NaN, 2.5]), ["−∞", "", "2.50"]);
});

test("a rounded zero has no minus sign, and every other negative number has one", () => {
  assert.deepEqual([fixed(-0.0004, 3), fixed(-0, 1), fixed(-0.25, 3)], ["0.000", "0.0", "−0.250"]);
});
