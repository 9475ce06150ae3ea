using Xunit;

namespace Pipeline.TestKit.Services;

/// <summary>A broker that tests may use, stop and restart.</summary>
public interface ITestBroker : IAsyncDisposable
{
    /// <summary>The address for clients: host:port, a URI or a connection string.</summary>
    string Endpoint { get; }

    /// <summary>Where the broker comes from, for messages.</summary>
    string Origin { get; }

    /// <summary>
    /// Whether <see cref="StopAsync"/>, <see cref="KillAsync"/> and <see cref="StartAsync"/> work: not with a broker
    /// that others run.
    /// </summary>
    bool CanRestart { get; }

    /// <summary>Starts it again on the same port with the same data, and returns once it answers.</summary>
    Task StartAsync();

    /// <summary>Stops it in an orderly way.</summary>
    Task StopAsync();

    /// <summary>Kills it.</summary>
    Task KillAsync();
}

/// <summary>A service that tests need: the first way to run it that works here, or the reason why none does.</summary>
/// <remarks>
/// Tries in order: the endpoint that an environment variable names; a container, if there is a Docker engine;
/// a local installation, run on free ports with a separate data folder.
/// If none works, the test is skipped with the reason; with <c>CI=true</c> it fails.
/// </remarks>
public abstract class TestService : IAsyncDisposable
{
    private readonly SemaphoreSlim _gate = new(1);
    private readonly List<string> _reasons = [];
    private ITestBroker? _broker;
    private bool _looked;

    /// <summary>The service's name, for messages.</summary>
    public abstract string Name { get; }

    /// <summary>The environment variable that names an endpoint.</summary>
    public abstract string Variable { get; }

    /// <summary>The one command that brings the service; a skipped test prints it.</summary>
    protected virtual string Remedy => ".ci/install-services";

    /// <summary>The running broker, started by the first caller and shared by all.</summary>
    /// <exception cref="SkipException">There is no way to have it here.</exception>
    public async Task<ITestBroker> UseAsync()
    {
        await _gate.WaitAsync();
        try
        {
            if (_broker is not null)
                return _broker;
            if (!_looked)
                _broker = await FindAsync();
            _looked = true;
        }
        finally
        {
            _gate.Release();
        }

        return _broker ?? throw Missing();
    }

    /// <summary>A broker of the caller's own, to be stopped and killed; the caller disposes it.</summary>
    /// <exception cref="SkipException">There is no way to have one here.</exception>
    public async Task<ITestBroker> StartOwnAsync()
    {
        if (await StartAsync() is { } own)
            return own;
        throw Missing();
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        if (_broker is not null)
            await _broker.DisposeAsync();
        _broker = null;
        _gate.Dispose();
        GC.SuppressFinalize(this);
    }

    /// <summary>Starts a container; returns null if there is no engine.</summary>
    protected abstract Task<ITestBroker?> StartContainerAsync();

    /// <summary>Starts a local installation.</summary>
    /// <exception cref="ServiceMissingException">It is not installed.</exception>
    protected abstract Task<ITestBroker> StartLocalAsync();

    private async Task<ITestBroker?> FindAsync()
    {
        var named = Environment.GetEnvironmentVariable(Variable);
        return string.IsNullOrEmpty(named) ? await StartAsync() : new NamedBroker(named, Variable);
    }

    private async Task<ITestBroker?> StartAsync()
    {
        _reasons.Clear();
        if (!Containers.Available)
            _reasons.Add(Containers.Reason);
        else if (await StartContainerAsync() is { } container)
            return container;
        try
        {
            return await StartLocalAsync();
        }
        catch (ServiceMissingException e)
        {
            _reasons.Add(e.Message);
            return null;
        }
    }

    private Exception Missing()
    {
        var message =
            $"{Name} is missing: {string.Join("; ", _reasons)}; {Variable} is not set. To run these tests: {Remedy}";
        return Environment.GetEnvironmentVariable("CI") == "true"
            ? new InvalidOperationException(message)
            : new SkipException(message);
    }

    private sealed class NamedBroker(string endpoint, string variable) : ITestBroker
    {
        public string Endpoint => endpoint;

        public string Origin => variable;

        public bool CanRestart => false;

        public Task StartAsync() => throw new SkipException($"the broker that {variable} names is not ours to restart");

        public Task StopAsync() => StartAsync();

        public Task KillAsync() => StartAsync();

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}

/// <summary>A service is not installed here.</summary>
public sealed class ServiceMissingException(string message) : Exception(message);
