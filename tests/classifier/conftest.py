import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(autouse=True, scope="package")
def one_thread():
    """Tiny models by the thousand: threads of the linear algebra only wait for each other."""
    with threadpool_limits(1):
        yield
