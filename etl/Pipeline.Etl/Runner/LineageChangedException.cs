namespace Pipeline.Etl.Runner;

/// <summary>
/// The database has begun another lineage while the task ran: the task begins again, and finds that out.
/// </summary>
internal sealed class LineageChangedException : Exception;
