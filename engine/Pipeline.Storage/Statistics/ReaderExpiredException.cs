using System.Globalization;

namespace Pipeline.Storage;

/// <summary>
/// A read transaction held back more than allowed: it can read no further page. Dispose it, and begin another.
/// </summary>
public sealed class ReaderExpiredException : StorageException
{
    /// <summary>Names the reader and the limit.</summary>
    public ReaderExpiredException(ReaderStatistics reader, string limit)
        : base(
            string.Create(
                CultureInfo.InvariantCulture,
                $"The read transaction of '{reader?.Owner}' over transaction {reader?.Transaction} exceeded the limit {limit}. It was open for {reader?.Age.TotalSeconds:0.0} s and held back {reader?.HeldTransactions} transactions and {reader?.HeldBytes} bytes. Dispose it and begin another; read large ranges in parts."
            )
        )
    {
        Reader = reader!;
        Limit = limit;
    }

    /// <summary>The reader's figures at the moment it was found over the limit.</summary>
    public ReaderStatistics Reader { get; }

    /// <summary>The option and its value.</summary>
    public string Limit { get; }
}
