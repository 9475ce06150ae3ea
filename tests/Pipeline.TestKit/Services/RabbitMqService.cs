using System.Collections.Concurrent;
using System.Diagnostics;
using System.Globalization;
using Pipeline.TestKit.Certificates;
using Xunit;

namespace Pipeline.TestKit.Services;

/// <summary>RabbitMQ, run as the tests' user with a separate Erlang port mapper, cookie and folders.</summary>
public sealed class RabbitMqService : TestService
{
    private readonly ConcurrentDictionary<string, Dictionary<string, string>> _local = new();

    /// <summary>
    /// The certificates for TLS at <see cref="TlsEndpoint"/>; clients need one signed by the same authority. Local
    /// brokers only.
    /// </summary>
    public TlsFiles? Tls { get; init; }

    /// <inheritdoc/>
    public override string Name => "RabbitMQ";

    /// <inheritdoc/>
    public override string Variable => "PIPELINE_TEST_RABBITMQ";

    /// <inheritdoc/>
    protected override Task<ITestBroker?> StartContainerAsync() =>
        Tls is null ? Containers.StartRabbitMqAsync() : Task.FromResult<ITestBroker?>(null);

    /// <summary>Where a broker of this service with <see cref="Tls"/> takes TLS connections.</summary>
    public static string TlsEndpoint(ITestBroker broker)
    {
        ArgumentNullException.ThrowIfNull(broker);
        var plain = new Uri(broker.Endpoint);
        return string.Create(CultureInfo.InvariantCulture, $"amqps://{plain.UserInfo}@{plain.Host}:{plain.Port + 3}/");
    }

    /// <inheritdoc/>
    protected override async Task<ITestBroker> StartLocalAsync()
    {
        // Straight, not through the wrapper in /usr/sbin, which changes the user.
        var server =
            LocalInstallation.FindProgram("rabbitmq-server", "/usr/lib/rabbitmq/bin")
            ?? throw new ServiceMissingException("rabbitmq-server is not installed");
        var folder = ServiceProcess.NewFolder("rabbitmq");
        var port = FreePorts.Find(4);
        var mapper = port + 2;
        foreach (var name in new[] { "home", "mnesia", "log" })
            Directory.CreateDirectory(Path.Combine(folder, name));
        await File.WriteAllTextAsync(Path.Combine(folder, "enabled_plugins"), "[].");
        await File.WriteAllTextAsync(
            Path.Combine(folder, "rabbitmq.conf"),
            Tls is null
                ? ""
                : $"""
                listeners.ssl.1 = 127.0.0.1:{port + 3}
                ssl_options.cacertfile = {Tls.Authority}
                ssl_options.certfile = {Tls.Server}
                ssl_options.keyfile = {Tls.Server}
                ssl_options.verify = verify_peer
                ssl_options.fail_if_no_peer_cert = true

                """
        );
        var variables = new Dictionary<string, string>
        {
            ["HOME"] = $"{folder}/home",
            ["ERL_EPMD_PORT"] = $"{mapper}",
            ["ERL_EPMD_ADDRESS"] = "127.0.0.1",
            ["RABBITMQ_NODE_IP_ADDRESS"] = "127.0.0.1",
            ["RABBITMQ_NODE_PORT"] = $"{port}",
            ["RABBITMQ_DIST_PORT"] = $"{port + 1}",
            ["RABBITMQ_NODENAME"] = $"pipeline{port}@localhost",
            ["RABBITMQ_MNESIA_BASE"] = $"{folder}/mnesia",
            ["RABBITMQ_LOG_BASE"] = $"{folder}/log",
            ["RABBITMQ_PID_FILE"] = $"{folder}/pid",
            ["RABBITMQ_ENABLED_PLUGINS_FILE"] = $"{folder}/enabled_plugins",
            ["RABBITMQ_CONFIG_FILE"] = $"{folder}/rabbitmq.conf",
            ["RABBITMQ_CONF_ENV_FILE"] = $"{folder}/none",
        };
        var broker = new ServiceProcess(
            $"amqp://guest:guest@127.0.0.1:{port}/",
            $"RabbitMQ of {server}",
            port,
            folder,
            () => With(new ProcessStartInfo(server), variables),
            () => File.Exists($"{folder}/pid") ? File.ReadAllText($"{folder}/pid").Trim() : "",
            () => EndMapper(variables)
        )
        {
            BeforeKill = () => KeepDefinitionsAsync(variables),
        };
        await broker.StartAsync();
        _local[broker.Endpoint] = variables;
        return broker;
    }

    /// <summary>Runs <c>rabbitmqctl</c> on a broker that this service has started.</summary>
    /// <exception cref="SkipException">The broker is another one, or the program is missing.</exception>
    public async Task ControlAsync(ITestBroker broker, params string[] arguments)
    {
        if (
            !_local.TryGetValue(broker.Endpoint, out var variables)
            || LocalInstallation.FindProgram("rabbitmqctl", "/usr/lib/rabbitmq/bin") is not { } program
        )
        {
            throw new SkipException($"{broker.Origin} cannot be administered from here");
        }

        await RunAsync(program, arguments, variables);
    }

    /// <summary>
    /// RabbitMQ 3.10 that is killed some seconds after a durable queue was declared may start without the queue, and so
    /// without its confirmed messages. That loss is not of the product, so the tests have the definitions stored first.
    /// </summary>
    private static Task KeepDefinitionsAsync(Dictionary<string, string> variables) =>
        LocalInstallation.FindProgram("rabbitmqctl", "/usr/lib/rabbitmq/bin") is { } program
            ? RunAsync(program, ["eval", "mnesia:dump_log()."], variables)
            : Task.CompletedTask;

    private static async Task RunAsync(string program, string[] arguments, Dictionary<string, string> variables)
    {
        using var process = Process.Start(
            With(
                new ProcessStartInfo(program, arguments)
                {
                    RedirectStandardOutput = true,
                    RedirectStandardError = true,
                },
                variables
            )
        )!;
        var output = process.StandardOutput.ReadToEndAsync();
        var error = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        if (process.ExitCode != 0)
        {
            throw new InvalidOperationException(
                $"rabbitmqctl {arguments[0]} ended with {process.ExitCode}: {await output}{error}"
            );
        }
    }

    private static ProcessStartInfo With(ProcessStartInfo start, Dictionary<string, string> variables)
    {
        foreach (var (name, value) in variables)
            start.Environment[name] = value;
        return start;
    }

    private static void EndMapper(Dictionary<string, string> variables)
    {
        if (LocalInstallation.FindProgram("epmd") is not { } program)
            return;
        using var process = Process.Start(
            With(
                new ProcessStartInfo(program, ["-kill"])
                {
                    RedirectStandardOutput = true,
                    RedirectStandardError = true,
                },
                variables
            )
        )!;
        process.WaitForExit();
    }
}
