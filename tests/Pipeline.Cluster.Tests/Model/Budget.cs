namespace Pipeline.Cluster.Tests.Model;

/// <summary>How often each thing may happen in one run of the search.</summary>
internal readonly record struct Budget(
    int Claims,
    int Entries,
    int Beats = 0,
    int Duplicates = 0,
    int Ticks = 0,
    int Crashes = 0
);
