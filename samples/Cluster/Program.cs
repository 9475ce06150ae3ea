using ClusterSample;

// The program starts itself once for each node: `cluster-sample node CONFIGURATION`.
if (args is ["node", var configuration])
    return await Node.RunAsync(configuration);
if (Settings.Read(args) is not { } settings)
{
    Console.Error.WriteLine(Settings.Usage);
    return 2;
}
try
{
    return await Demonstration.RunAsync(settings);
}
catch (Exception e)
{
    Console.Error.WriteLine($"cluster: {e.Message}");
    return 1;
}
