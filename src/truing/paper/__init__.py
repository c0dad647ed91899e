"""The paper, runnable: Naeini, Cooper and Hauskrecht (2014), arXiv:1401.3390."""

from truing.paper.simulated import circular_data

__all__ = ["circular_data"]
