"""The data of the KDD Cup 1998: whom to mail, and what it earns.

They are published in the UCI KDD archive, and on the pages of the cup.
"""

from truing.paper.kdd98.campaign import COST, Campaign, People
from truing.paper.kdd98.expected import PUBLISHED, Expected
from truing.paper.kdd98.folder import read_folder
from truing.paper.kdd98.generated import generate, write_campaign

__all__ = [
    "COST",
    "PUBLISHED",
    "Campaign",
    "Expected",
    "People",
    "generate",
    "read_folder",
    "write_campaign",
]
