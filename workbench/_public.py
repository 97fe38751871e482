"""The public names for type checkers; `workbench.__init__` finds them lazily at run time."""

from workbench.bounds.band import TradeoffBand as TradeoffBand
from workbench.bounds.band import tradeoff_band as tradeoff_band
from workbench.bounds.fixed_bins import hockey_stick_limits as hockey_stick_limits
from workbench.bounds.gdp import gdp_fit as gdp_fit
from workbench.bounds.lower import epsilon_lower_bound as epsilon_lower_bound
from workbench.bounds.lower import mu_lower_bound as mu_lower_bound
from workbench.bounds.result import Bound as Bound
from workbench.bounds.threshold import epsilon_from_counts as epsilon_from_counts
from workbench.curves.tradeoff import TradeoffCurve as TradeoffCurve
from workbench.estimators.histogram import Histogram as Histogram
from workbench.estimators.histogram import histogram as histogram
from workbench.estimators.roc import Roc as Roc
from workbench.estimators.roc import roc as roc
from workbench.jupyter.explore import explore as explore
from workbench.jupyter.explore import explore_pair as explore_pair
from workbench.pairs.gaussian import GaussianPair as GaussianPair
from workbench.pairs.laplace import LaplacePair as LaplacePair
from workbench.pairs.randomized_response import RandomizedResponsePair as RandomizedResponsePair
from workbench.pairs.subsampled_gaussian import SubsampledGaussianPair as SubsampledGaussianPair
from workbench.scores.examples import example as example
from workbench.scores.examples import examples as examples
from workbench.scores.files import read_scores as read_scores
from workbench.scores.sample import Scores as Scores
from workbench.scores.sample import ScoresError as ScoresError
