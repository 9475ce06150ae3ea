using System.Diagnostics;
using Pipeline.IntegrationTests.Independent;
using Pipeline.TestKit.Files;
using Pipeline.TestKit.Services;

namespace Pipeline.IntegrationTests.Snmp;

/// <summary>net-snmp's agent with <c>pipeline snmp</c> behind it, and net-snmp's clients to ask it.</summary>
internal sealed class SnmpService : IAsyncDisposable
{
    public const string Base = ".1.3.6.1.4.1.8072.2.255.8080";

    private readonly ServiceProcess _agent;
    private readonly string[] _mibs;

    private SnmpService(ServiceProcess agent, string[] mibs) => (_agent, _mibs) = (agent, mibs);

    /// <summary>The standard's modules that PIPELINE-MIB builds on. Debian leaves them out of its free packages.</summary>
    public static string StandardMibs => NpmPackage.Find("net-snmp", "lib", "mibs");

    /// <summary>PIPELINE-MIB of the repository.</summary>
    public static string Mib { get; } = Path.Combine(RepositoryTree.Root, "docs", "reference", "PIPELINE-MIB.txt");

    /// <summary>Starts the agent, with the program for a data folder.</summary>
    public static async Task<SnmpService> StartAsync(string data)
    {
        var snmpd = Find("snmpd", "snmpd", "/usr/sbin");
        Find("snmpwalk", "snmp");
        string[] mibs = ["-M", $"{StandardMibs}:{Path.GetDirectoryName(Mib)}", "-m", "PIPELINE-MIB"];
        var port = FreePorts.Find();
        var folder = ServiceProcess.NewFolder("snmpd");
        var configuration = Path.Combine(folder, "snmpd.conf");
        await File.WriteAllTextAsync(
            configuration,
            $"""
            agentAddress tcp:127.0.0.1:{port}
            rwcommunity private 127.0.0.1
            createUser monitor SHA-256 "a long passphrase" AES "another passphrase"
            rouser monitor authpriv
            pass_persist {Base} {Path.Combine(AppContext.BaseDirectory, "pipeline")} snmp --data {data}

            """
        );
        var agent = new ServiceProcess(
            $"tcp:127.0.0.1:{port}",
            "snmpd",
            port,
            folder,
            () =>
                new ProcessStartInfo(
                    snmpd,
                    ["-f", "-Lo", "-C", "-c", configuration, "-I", "pass_persist,usmConf,usmUser,vacm_conf,snmpv3mibs"]
                )
                {
                    Environment = { ["SNMP_PERSISTENT_DIR"] = folder, ["MIBS"] = "" },
                }
        );
        await agent.StartAsync();
        return new SnmpService(agent, mibs);
    }

    /// <summary>The program of a Debian package.</summary>
    public static string Find(string program, string package, params string[] folders) =>
        LocalInstallation.FindProgram(program, folders) ?? throw Missing.Program(program, package);

    /// <summary>Runs one of net-snmp's clients, and gives its lines without that of the agent's end.</summary>
    public Task<string[]> RunAsync(string client, params string[] arguments) =>
        AskAsync(client, ["-v2c", "-c", "private"], arguments);

    /// <summary>As <see cref="RunAsync"/>, with SNMPv3: encrypted, as the user of the guide.</summary>
    public Task<string[]> RunEncryptedAsync(string client, params string[] arguments) =>
        AskAsync(
            client,
            [
                .. (string[])["-v3", "-l", "authPriv", "-u", "monitor"],
                .. (string[])["-a", "SHA-256", "-A", "a long passphrase", "-x", "AES", "-X", "another passphrase"],
            ],
            arguments
        );

    private async Task<string[]> AskAsync(string client, string[] version, string[] arguments)
    {
        var output = await Tool.RunAsync(
            Find(client, "snmp"),
            [.. version, "-t", "10", .. _mibs, _agent.Endpoint, .. arguments],
            new Dictionary<string, string> { ["SNMP_PERSISTENT_DIR"] = Path.GetTempPath() }
        );
        return
        [
            .. output
                .Split('\n', StringSplitOptions.RemoveEmptyEntries)
                .Where(l => !l.Contains("= No more variables left", StringComparison.Ordinal)),
        ];
    }

    public ValueTask DisposeAsync() => _agent.DisposeAsync();
}
