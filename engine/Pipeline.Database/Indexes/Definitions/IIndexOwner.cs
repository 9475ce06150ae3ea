namespace Pipeline.Database.Indexes;

/// <summary>The indexes of one database, as shared budgets and metrics see them.</summary>
internal interface IIndexOwner
{
    /// <summary>The database's name.</summary>
    string DatabaseName { get; }

    /// <summary>The automatic indexes that there are.</summary>
    int AutomaticCount { get; }

    /// <summary>By how much each index lags behind the database.</summary>
    /// <exception cref="ObjectDisposedException">The database is closed.</exception>
    IEnumerable<(string Index, long Changes, TimeSpan Time)> Lags();
}
