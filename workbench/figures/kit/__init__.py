"""What every chart uses: `theme`, `layout`, `legend`, `dot_rows`, `log_n_axis`."""
