"""A header and numbers in one blob of bytes, which is how a canvas component gets its data."""

from __future__ import annotations


def pack_bytes(header: str, numbers: bytes) -> bytes:
    """Length of the header as little-endian uint32, the header, the numbers.

    Args:
        header: JSON; padded with spaces, so that the numbers start at a multiple of four bytes.
        numbers: of whatever type the component expects.
    """
    encoded = header.encode()
    encoded += b" " * (-len(encoded) % 4)
    return len(encoded).to_bytes(4, "little") + encoded + numbers
