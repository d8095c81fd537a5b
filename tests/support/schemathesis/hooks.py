"""Values that the OpenAPI description names but cannot describe, for schemathesis to generate valid ones."""

import csv
import io
import itertools

import schemathesis
from hypothesis import strategies as st

OTHERS = ("course_id", "mode", "action")
ORDERS = [("email", *others) for count in range(4) for others in itertools.permutations(OTHERS, count)]


@st.composite
def batches(draw):
    """A CSV for a batch. Its rows may hold anything: a wrong one fails by itself."""
    header = draw(st.sampled_from(ORDERS))
    cell = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)
    rows = draw(st.lists(st.tuples(*[cell] * len(header)), min_size=1, max_size=5))
    text = io.StringIO(newline="")
    csv.writer(text, delimiter=draw(st.sampled_from(",;"))).writerows([header, *rows])
    return text.getvalue().encode()


schemathesis.openapi.format("ip", st.ip_addresses().map(str))
schemathesis.openapi.media_type("text/csv", batches())
