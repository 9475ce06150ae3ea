namespace Pipeline.Worker.Services;

/// <summary>
/// The program that started this process as a service and wants to know its state: systemd, or the service manager of
/// Windows. Thread-safe.
/// </summary>
internal interface IServiceManager
{
    /// <summary>Whether it restarts a process that fails, so that the process does not start again by itself.</summary>
    bool StartsAgain { get; }

    /// <summary>
    /// The process starts. An import or a recovery may take longer than the manager's limit, so the limit is extended
    /// until <see cref="Ready"/>.
    /// </summary>
    void Starting();

    /// <summary>The process is ready.</summary>
    /// <param name="status">The state in one line, for people.</param>
    /// <param name="check">Throws if the process cannot do its work; a manager that watches then hears nothing.</param>
    void Ready(string status, Action check);

    /// <summary>The process stops in order. Only the first call counts.</summary>
    void Stopping();
}
