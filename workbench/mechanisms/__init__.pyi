"""The public names: each is imported on first use; type checkers read this file."""

from .base import Domain as Domain
from .base import Mechanism as Mechanism
from .counts import noisy_histogram as noisy_histogram
from .counts import noisy_histogram_empty_bins as noisy_histogram_empty_bins
from .counts import randomized_response as randomized_response
from .counts import randomized_response_coin as randomized_response_coin
from .gallery import mechanism as mechanism
from .gallery import mechanism_gallery as mechanism_gallery
from .gradient_descent import dp_gd as dp_gd
from .means import gaussian_mean as gaussian_mean
from .means import gaussian_mean_true_count as gaussian_mean_true_count
from .means import gaussian_mean_true_scale as gaussian_mean_true_scale
from .means import gaussian_sum as gaussian_sum
from .means import gaussian_sum_unclipped as gaussian_sum_unclipped
from .means import laplace_mean as laplace_mean
from .means import laplace_mean_true_count as laplace_mean_true_count
from .means import laplace_mean_true_scale as laplace_mean_true_scale
from .selection import median as median
from .selection import noisy_max as noisy_max
from .selection import noisy_max_value as noisy_max_value
from .svt import svt1 as svt1
from .svt import svt2 as svt2
from .svt import svt3 as svt3
from .svt import svt4 as svt4
from .svt import svt5 as svt5
from .svt import svt6 as svt6
