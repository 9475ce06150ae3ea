namespace Pipeline.Server.Settings;

/// <summary>The port that a server listens on, known once it has started. Thread-safe.</summary>
internal sealed class BoundPort
{
    private int _number;

    /// <summary>The port; null before the start, and if the server has none.</summary>
    public int? Number
    {
        get => Volatile.Read(ref _number) is > 0 and var number ? number : null;
        set => Volatile.Write(ref _number, value ?? 0);
    }
}
