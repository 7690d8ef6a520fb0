"""`mindspore.mint.nn.layer.normalization`, as sporax has it; written by tools/write_stubs.py."""

from sporax.nn.mint_normalization import BatchNorm1d as BatchNorm1d
from sporax.nn.mint_normalization import BatchNorm2d as BatchNorm2d
from sporax.nn.mint_normalization import BatchNorm3d as BatchNorm3d
from sporax.nn.mint_normalization import GroupNorm as GroupNorm
from sporax.nn.mint_normalization import SyncBatchNorm as SyncBatchNorm

