using System.Diagnostics;

namespace Pipeline.TestKit.Services;

/// <summary>A service from an npm package; runs on free ports with a separate data folder.</summary>
public abstract class NpmService : TestService
{
    /// <summary>The program's name.</summary>
    protected abstract string Program { get; }

    /// <summary>How many ports next to each other it needs; the first is the one that answers.</summary>
    protected virtual int Ports => 1;

    /// <summary>What clients connect with.</summary>
    protected abstract string Endpoint(int port);

    /// <summary>The program's arguments.</summary>
    protected abstract IReadOnlyList<string> Arguments(string folder, int port);

    /// <inheritdoc/>
    protected override Task<ITestBroker?> StartContainerAsync() => Task.FromResult<ITestBroker?>(null);

    /// <inheritdoc/>
    protected override async Task<ITestBroker> StartLocalAsync()
    {
        var modules = Path.Combine(LocalInstallation.Cache, "npm", "node_modules", ".bin");
        var program =
            LocalInstallation.FindProgram(Program, modules)
            ?? throw new ServiceMissingException($"{Program} is neither in PATH nor in {modules}");
        var folder = ServiceProcess.NewFolder(Program);
        var port = FreePorts.Find(Ports);
        var broker = new ServiceProcess(
            Endpoint(port),
            $"{Name} of {program}",
            port,
            folder,
            () => new ProcessStartInfo(program, Arguments(folder, port))
        );
        await broker.StartAsync();
        return broker;
    }
}
