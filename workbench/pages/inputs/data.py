"""Stub."""
import param
class DataChoice(param.Selector):
    pass
